# SPDX-License-Identifier: LGPL-2.1
"""Build back end of the module (PEP 517, 660), so that pip installs it without downloads.

The module is pure Python and loads libktraceset when it is imported, so a wheel only has its files
and metadata. Builds are reproducible.
"""
import base64
import hashlib
import io
import os
import re
import tarfile
import zipfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), '../../..'))
PACKAGE = os.path.join(ROOT, 'userspace/python/ktrace')
# All files that a wheel is made from; a source distribution has only these.
SOURCES = ['pyproject.toml', 'Documentation/python.md', 'userspace/python/backend/ktrace_build.py']


def read(path):
    with open(os.path.join(ROOT, path), 'rb') as file:
        return file.read()


def version():
    return re.search(rb"__version__ = '([^']+)'", read('userspace/python/ktrace/_version.py')).group(1).decode()


def module_files():
    """Returns the names of the files, relative to userspace/python."""
    return sorted('ktrace/' + n for n in os.listdir(PACKAGE) if n.endswith('.py') or n == 'py.typed')


def metadata():
    head = ['Metadata-Version: 2.1', 'Name: ktrace', f'Version: {version()}',
            'Summary: Read traces that ktraced has recorded', 'License: LGPL-2.1-only',
            'Requires-Python: >=3.8', 'Description-Content-Type: text/markdown']
    return '\n'.join(head).encode() + b'\n\n' + read('Documentation/python.md')


def add(archive, record, name, data):
    info = zipfile.ZipInfo(name)
    info.external_attr = 0o644 << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, data)
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()
    record.append(f'{name},sha256={digest},{len(data)}')


def write_wheel(folder, files):
    """Writes a wheel with these files, {name: bytes}; returns its name."""
    about, record = f'ktrace-{version()}.dist-info', []
    wheel = f'ktrace-{version()}-py3-none-any.whl'
    with zipfile.ZipFile(os.path.join(folder, wheel), 'w') as archive:
        for name, data in files.items():
            add(archive, record, name, data)
        add(archive, record, f'{about}/METADATA', metadata())
        add(archive, record, f'{about}/WHEEL',
            b'Wheel-Version: 1.0\nGenerator: ktrace\nRoot-Is-Purelib: true\nTag: py3-none-any\n')
        record.append(f'{about}/RECORD,,')
        archive.writestr(zipfile.ZipInfo(f'{about}/RECORD'), '\n'.join(record) + '\n')
    return wheel


# ---- hooks of PEP 517 and 660

def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return write_wheel(wheel_directory, {n: read('userspace/python/' + n) for n in module_files()})


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    path = os.path.join(ROOT, 'userspace/python') + '\n'
    return write_wheel(wheel_directory, {'ktrace.pth': path.encode()})


def build_sdist(sdist_directory, config_settings=None):
    base = f'ktrace-{version()}'
    with tarfile.open(os.path.join(sdist_directory, base + '.tar.gz'), 'w:gz', format=tarfile.PAX_FORMAT) as archive:
        for name in SOURCES + ['userspace/python/' + n for n in module_files()]:
            data = read(name)
            info = tarfile.TarInfo(f'{base}/{name}')
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        info = tarfile.TarInfo(f'{base}/PKG-INFO')
        info.size = len(metadata())
        archive.addfile(info, io.BytesIO(metadata()))
    return base + '.tar.gz'
