from __future__ import annotations

import io
import random
import struct
import zlib
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image, ImageOps

from service.errors import ImageMissing, ImageTooLarge, ImageUndecodable, InvalidInput
from service.imaging.decode import FIRST_OF_SEVERAL, decode
from service.imaging.frame import Frame
from tests.conftest import PHOTOGRAPHS


def read(data: bytes, *, max_bytes: int = 10**7, max_pixels: int = 10**7) -> Frame:
    return decode(data, max_bytes=max_bytes, max_pixels=max_pixels)


def encode(image: Image.Image, form: str, **options: Any) -> bytes:
    stream = io.BytesIO()
    image.save(stream, form, **options)
    return stream.getvalue()


@pytest.fixture
def scene() -> Image.Image:
    """An asymmetric colour image: every flip and rotation of it differs."""
    ramp = np.zeros((40, 60, 3), np.uint8)
    ramp[..., 0] = np.linspace(0, 255, 60)[None, :]
    ramp[..., 1] = np.linspace(0, 255, 40)[:, None]
    ramp[:10, :10] = (255, 255, 255)
    return Image.fromarray(ramp)


@pytest.mark.parametrize(
    ("form", "media_type"),
    [
        ("JPEG", "image/jpeg"),
        ("PNG", "image/png"),
        ("BMP", "image/bmp"),
        ("TIFF", "image/tiff"),
        ("WEBP", "image/webp"),
    ],
)
def test_every_format_gives_the_same_picture(scene: Image.Image, form: str, media_type: str) -> None:
    options = {"quality": 100} if form in {"JPEG", "WEBP"} else {}
    frame = read(encode(scene, form, **options))
    assert (frame.width, frame.height, frame.media_type) == (60, 40, media_type)
    expected = cv2.cvtColor(np.asarray(scene), cv2.COLOR_RGB2BGR)
    assert np.abs(frame.pixels.astype(int) - expected).mean() < 4


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("form", ["JPEG", "PNG", "TIFF", "WEBP"])
def test_exif_orientation_is_honoured(scene: Image.Image, form: str, orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = encode(scene, form, exif=exif)
    upright = ImageOps.exif_transpose(Image.open(io.BytesIO(data))).convert("RGB")
    frame = read(data)
    assert (frame.width, frame.height) == upright.size
    difference = np.abs(frame.pixels[..., ::-1].astype(int) - np.asarray(upright))
    assert difference.mean() < 2


# 1-bit, grey, palette, grey with alpha, alpha, palette with alpha, print colours, 16-bit (12 in use), 32-bit, float
@pytest.mark.parametrize("mode", ["1", "L", "P", "LA", "RGBA", "PA", "CMYK", "I;16", "I", "F"])
def test_awkward_modes_are_read(mode: str) -> None:
    grey = np.full((30, 90), 230, np.uint8)
    grey[10:20, 20:70] = 20
    if mode == "I;16":
        image = Image.fromarray(grey.astype(np.uint16) << 4)  # a 12-bit camera
    else:
        image = Image.fromarray(grey).convert("L" if mode in "IF" else "RGB").convert(mode)
    frame = read(encode(image, "TIFF" if mode in {"CMYK", "I", "F", "PA"} else "PNG"))
    assert frame.pixels.shape == (30, 90, 3)
    assert frame.pixels[15, 45].max() < 60
    assert frame.pixels[2, 2].min() > 200


def test_cmyk_jpeg_is_read() -> None:
    frame = read(encode(Image.new("RGB", (40, 40), (250, 10, 10)).convert("CMYK"), "JPEG"))
    blue, green, red = frame.pixels[20, 20]
    assert red > 200
    assert max(blue, green) < 80


@pytest.mark.parametrize("ink", [0, 255])
def test_transparent_text_is_laid_on_the_ground_it_stands_out_from(ink: int) -> None:
    rgba = np.zeros((20, 60, 4), np.uint8)
    rgba[5:15, 10:50] = (ink, ink, ink, 255)
    frame = read(encode(Image.fromarray(rgba), "PNG"))
    assert abs(int(frame.pixels[10, 30, 0]) - int(frame.pixels[2, 2, 0])) == 255


@pytest.mark.parametrize("form", ["TIFF", "WEBP", "PNG"])
def test_of_several_pages_the_first_is_read_and_a_note_says_so(form: str) -> None:
    first, second = Image.new("RGB", (20, 10), (200, 200, 200)), Image.new("RGB", (20, 10), (10, 10, 10))
    frame = read(encode(first, form, save_all=True, append_images=[second]))
    assert (frame.width, frame.height) == (20, 10)
    assert frame.pixels.mean() > 190
    assert frame.notes == (FIRST_OF_SEVERAL,)
    assert read(encode(first, form)).notes == ()


@pytest.mark.filterwarnings("ignore:Corrupt EXIF")  # what Pillow calls the directory of a TIFF page
def test_a_second_page_that_is_damaged_is_none() -> None:
    page = encode(Image.new("L", (20, 10), 200), "TIFF")
    order, _, directory = struct.unpack_from("<2sHI", page)
    assert order == b"II"
    (entries,) = struct.unpack_from("<H", page, directory)
    damaged = bytearray(page)
    struct.pack_into("<I", damaged, directory + 2 + 12 * entries, len(page) - 1)
    frame = read(bytes(damaged))
    assert (frame.width, frame.notes) == (20, ())


def test_empty() -> None:
    with pytest.raises(ImageMissing):
        read(b"")


def test_too_many_bytes(scene: Image.Image) -> None:
    with pytest.raises(ImageTooLarge, match="bytes"):
        read(encode(scene, "PNG"), max_bytes=100)


def test_pixel_bomb_is_refused_by_its_header() -> None:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    bomb = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 10_000))
    with pytest.raises(ImageTooLarge, match="60000 x 60000"):
        read(bomb)


@pytest.mark.parametrize(
    "data", [b"GIF89a" + b"\0" * 50, b"%PDF-1.7", b"hello", b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n"]
)
def test_no_image(data: bytes) -> None:
    with pytest.raises(ImageUndecodable):
        read(data)


@pytest.mark.parametrize("form", ["JPEG", "PNG", "BMP", "TIFF", "WEBP"])
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_truncated(form: str, share: float) -> None:
    noise = Image.fromarray(np.random.default_rng(1).integers(0, 255, (80, 80, 3), np.uint8))
    data = encode(noise, form)
    with pytest.raises(ImageUndecodable):
        read(data[: int(len(data) * share)])


def test_truncated_behind_an_exif_thumbnail(scene: Image.Image) -> None:
    """The thumbnail has an end marker of its own, which must not be taken for the image's."""
    thumbnail = encode(scene.resize((16, 12)), "JPEG")
    segment = b"Exif\0\0" + thumbnail
    data = encode(scene, "JPEG")
    data = data[:2] + b"\xff\xe1" + struct.pack(">H", len(segment) + 2) + segment + data[2:]
    assert read(data).width == 60
    with pytest.raises(ImageUndecodable):
        read(data[: len(data) * 3 // 4])


def test_bytes_after_the_end_are_ignored(scene: Image.Image) -> None:
    assert read(encode(scene, "JPEG") + b"\0" * 512).width == 60


@pytest.mark.filterwarnings("ignore::UserWarning")  # Pillow warns of what it then refuses
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32), form=st.sampled_from(["JPEG", "PNG", "BMP", "TIFF", "WEBP"]))
def test_damaged_bytes_never_do_more_than_raise(seed: int, form: str) -> None:
    source = random.Random(seed)
    image = Image.fromarray(np.random.default_rng(3).integers(0, 255, (24, 32, 3), np.uint8))
    data = bytearray(encode(image, form))
    for _ in range(source.randint(1, 12)):
        data[source.randrange(len(data))] = source.randrange(256)
    try:
        frame = read(bytes(data), max_pixels=10**6)
    except InvalidInput:
        return
    assert frame.pixels.dtype == np.uint8
    assert frame.pixels.ndim == 3


@pytest.mark.skipif(not PHOTOGRAPHS.is_dir(), reason="the evaluation photographs are not here")
@pytest.mark.parametrize("path", sorted((PHOTOGRAPHS / "formats").glob("*")), ids=lambda path: path.name)
def test_awkward_files(path: Path) -> None:
    assert read(path.read_bytes()).pixels.size > 0
