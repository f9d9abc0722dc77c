"""The settings of the bundle, as PyInstaller's BUNDLE takes them."""

import re

from bundle.sizes import Size

# No domain is ours; whoever publishes the program under one of theirs puts that here.
IDENTIFIER = "invalid.gpuexplorer.gpuexplorer"
APP = "GPU Explorer.app"
# What Qt 6.11 asks for.
OLDEST_SYSTEM = "13.0"


def info_plist(size: Size, version: str) -> dict[str, str | bool]:
    """Both sizes have one identifier: the one replaces the other in Applications."""
    return {
        "CFBundleName": "GPU Explorer",
        "CFBundleDisplayName": "GPU Explorer",
        "CFBundleGetInfoString": f"{size.title} {version}",
        "CFBundleShortVersionString": _numbers(version),
        "CFBundleVersion": _numbers(version),
        "CFBundlePackageType": "APPL",
        "CFBundleDevelopmentRegion": "en",
        "LSApplicationCategoryType": "public.app-category.developer-tools",
        "LSMinimumSystemVersion": OLDEST_SYSTEM,
        "NSHighResolutionCapable": True,
        # Dark where the system is dark.
        "NSRequiresAquaSystemAppearance": False,
        "NSPrincipalClass": "NSApplication",
        "NSHumanReadableCopyright": "Copyright (c) The GPU Explorer maintainers. MIT License.",
    }


def _numbers(version: str) -> str:
    """The system compares up to three numbers, and takes nothing else."""
    plain = re.match(r"\d+(?:\.\d+){0,2}", version)
    if plain is None:
        raise ValueError(f"{version!r} is no version")
    return plain.group()
