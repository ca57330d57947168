# SPDX-License-Identifier: LGPL-2.1
"""Version of the module; a test checks that it is that of ktrace --version"""
__version__ = '0.1.0'
