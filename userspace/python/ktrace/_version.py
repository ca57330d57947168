# SPDX-License-Identifier: LGPL-2.1
"""Version of the module: that of ktrace --version, as a test makes sure"""
__version__ = '0.1.0'
