"""What is made for macOS, read back here and held against what the system asks for."""

import platform
import plistlib
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from PIL import Image
from PIL.IcnsImagePlugin import IcnsImageFile

from bundle.sizes import CLASSROOM, SLIM
from icon import fitting, pillow, write_icns
from macos.packages import APP, IDENTIFIER, info_plist, make_packages

FOLDER = Path(__file__).resolve().parents[2] / "packaging" / "macos"


def test_the_icon_has_every_size_and_each_is_the_drawing_made_for_it(tmp_path: Path) -> None:
    file = write_icns(tmp_path / "gpuexplorer.icns")
    with Image.open(file) as image:
        assert isinstance(image, IcnsImageFile)
        sizes = {(wide * scale, scale) for wide, _, scale in image.info["sizes"]}
        assert sizes >= {(32, 2), (64, 2), (128, 1), (256, 1), (512, 1), (1024, 2)}
        smallest = image.icns.getimage((16, 16, 2))
        assert smallest.tobytes() == pillow(fitting(32)).convert("RGBA").tobytes()


def test_the_settings_of_the_bundle_can_be_written_and_say_what_is_needed() -> None:
    told = plistlib.loads(plistlib.dumps(info_plist(CLASSROOM, "1.2.0rc1")))
    assert told["CFBundleName"] == "GPU Explorer"
    assert told["CFBundleGetInfoString"] == "GPU Explorer for classrooms, with PyTorch 1.2.0rc1"
    # The system takes numbers only.
    assert told["CFBundleShortVersionString"] == told["CFBundleVersion"] == "1.2.0"
    assert told["NSHighResolutionCapable"] is True
    assert told["NSRequiresAquaSystemAppearance"] is False
    assert told["LSMinimumSystemVersion"] == "13.0"
    assert "LSBackgroundOnly" not in told


def test_what_is_no_version_is_refused() -> None:
    with pytest.raises(ValueError, match="'newest' is no version"):
        info_plist(SLIM, "newest")


def test_the_identifier_is_one() -> None:
    assert all(part.isalnum() for part in IDENTIFIER.split("."))


def test_the_entitlements_allow_no_more_than_they_must() -> None:
    told = plistlib.loads((FOLDER / "entitlements.plist").read_bytes())
    assert told == {
        "com.apple.security.cs.allow-jit": True,
        "com.apple.security.cs.allow-unsigned-executable-memory": True,
    }


def test_the_disk_image_has_the_program_beside_applications(tmp_path: Path) -> None:
    app = tmp_path / "built" / APP
    (app / "Contents" / "Resources").mkdir(parents=True)
    (app / "Contents" / "Resources" / "a.txt").write_text("a")
    (app / "Contents" / "Frameworks").symlink_to("Resources")
    ran: list[list[str]] = []

    def run(command: Sequence[str]) -> None:
        """Looks at the folder when hdiutil would."""
        ran.append(list(command))
        if "create" in command:
            inside = Path(command[command.index("-srcfolder") + 1])
            assert sorted(path.name for path in inside.iterdir()) == ["Applications", APP]
            assert (inside / "Applications").readlink() == Path("/Applications")
            assert (inside / APP / "Contents" / "Frameworks").is_symlink()

    folder = app.parent / "gpuexplorer"
    (made,) = make_packages(folder, CLASSROOM, "0.1.0", tmp_path / "dist", run)
    name = f"gpuexplorer-classroom-0.1.0-macos-{platform.machine()}.dmg"
    assert made == tmp_path / "dist" / name
    assert [command[:2] for command in ran] == [["hdiutil", "create"], ["hdiutil", "verify"]]
    assert ran[0][-1] == ran[1][-1] == str(made)


def test_the_script_that_signs_says_what_it_needs() -> None:
    done = subprocess.run(
        ["bash", str(FOLDER / "sign.sh")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "Say which bundle, whose certificate, and which profile" in done.stderr
