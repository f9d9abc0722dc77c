#!/bin/bash
# Signs and notarises a build. It needs what only a person can have: a certificate "Developer ID
# Application" in the keychain, and a profile that `xcrun notarytool store-credentials` has kept.
# Usage, on macOS: bash packaging/macos/sign.sh "GPU Explorer.app" "Developer ID Application: NAME (TEAM)" PROFILE
set -eu

if [ $# -ne 3 ]; then
    echo 'Say which bundle, whose certificate, and which profile of notarytool:' >&2
    echo '  bash packaging/macos/sign.sh "dist/GPU Explorer.app" "Developer ID Application: NAME (TEAM)" PROFILE' >&2
    exit 2
fi
if [ "$(uname -s)" != Darwin ]; then
    echo 'Only macOS has the tools that sign for it.' >&2
    exit 1
fi
app=$1 identity=$2 profile=$3
folder=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# From the inside out: a bundle's signature covers those of all that is in it.
find "$app/Contents" -type f \( -name '*.dylib' -o -name '*.so' -o -perm -100 \) -print0 |
    while IFS= read -r -d '' file; do
        if file -b "$file" | grep -q Mach-O; then
            codesign --force --timestamp --options runtime \
                --entitlements "$folder/entitlements.plist" --sign "$identity" "$file"
        fi
    done
codesign --force --timestamp --options runtime \
    --entitlements "$folder/entitlements.plist" --sign "$identity" "$app"
codesign --verify --deep --strict --verbose=2 "$app"

ditto -c -k --keepParent "$app" "$work/app.zip"
xcrun notarytool submit "$work/app.zip" --keychain-profile "$profile" --wait
xcrun stapler staple "$app"
spctl --assess --type execute --verbose=2 "$app"
