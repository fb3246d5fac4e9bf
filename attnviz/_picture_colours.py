"""Any pixel mode, bit depth and colour profile as plain 8-bit sRGB; the colour half of `images`."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image, ImageCms


def eight_bits(image: Image.Image, notes: list[str]) -> Image.Image:
    """Any mode as L, LA, RGB, RGBA, CMYK or LAB: what can be resized and has 8 bits a channel."""
    if image.mode.startswith("I;16"):
        return _from_16_bits(image)
    if image.mode in ("I", "F"):
        return _stretched(image, notes)
    if image.has_transparency_data:
        key = image.info.get("transparency")
        if isinstance(key, tuple) and max(key) > 255:  # 16 bits, where the pixels keep the upper 8
            image.info["transparency"] = tuple(value >> 8 for value in key)
        return image.convert("LA" if image.mode in ("1", "L", "LA", "La") else "RGBA")
    if image.mode in ("L", "RGB", "CMYK", "LAB"):
        return image
    return image.convert("L" if image.mode == "1" else "RGB")


def _from_16_bits(image: Image.Image) -> Image.Image:
    """Grey 0…65535 as 0…255, rounded to nearest, with a transparent grey value as alpha."""
    values = np.asarray(image)
    grey = Image.fromarray(((values.astype(np.uint32) + 128) // 257).astype(np.uint8))
    if "transparency" not in image.info:
        return grey
    alpha = np.where(values == image.info["transparency"], np.uint8(0), np.uint8(255))
    return Image.merge("LA", (grey, Image.fromarray(alpha)))


def _stretched(image: Image.Image, notes: list[str]) -> Image.Image:
    """Float or 32-bit values from the lowest to the highest as 0…255; NaN is black."""
    values = np.array(image, dtype=np.float32 if image.mode == "F" else np.float64)
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
    low, high = max(low, -1e38), min(high, 1e38)  # their difference must stay a number
    np.copyto(values, low, where=np.isnan(values))
    np.clip(values, low, high, out=values)
    np.subtract(values, low, out=values)
    np.divide(values, (high - low) or 1.0, out=values)
    notes.append(f"Brightness was stretched: {low:.6g} is black, {high:.6g} is white.")
    return Image.fromarray(np.rint(values * 255).astype(np.uint8))


def on_white(image: Image.Image, profile: bytes | None, notes: list[str]) -> Image.Image:
    """A fresh RGB picture in sRGB colours, transparent parts blended with white."""
    alpha = image.getchannel("A") if image.mode in ("LA", "RGBA") else None
    if alpha is not None:
        image = image.convert("L" if image.mode == "LA" else "RGB")
        if alpha.getextrema() != (255, 255):
            notes.append("Transparent parts are shown on white.")
    canvas = Image.new("RGB", image.size, "white")  # pasting leaves metadata behind
    canvas.paste(_srgb(image, profile, notes), mask=alpha)
    return canvas


def _srgb(image: Image.Image, profile: bytes | None, notes: list[str]) -> Image.Image:
    """L, RGB, CMYK or LAB as sRGB, by the embedded colour profile if there is a usable one."""
    if image.mode == "LAB":
        return _convert_profile(image, ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB")))
    if not profile:
        return image.convert("RGB")
    try:
        return _convert_profile(image, ImageCms.ImageCmsProfile(io.BytesIO(profile)))
    except Exception:  # ImageCms raises many kinds on a broken or foreign profile
        notes.append("Its colour profile could not be used and was left out.")
        return image.convert("RGB")


def _convert_profile(image: Image.Image, profile: ImageCms.ImageCmsProfile) -> Image.Image:
    if image.mode == "L" and profile.profile.xcolor_space == "RGB ":
        image = image.convert("RGB")
    converted = ImageCms.profileToProfile(
        image, profile, ImageCms.createProfile("sRGB"), outputMode="RGB"
    )
    assert converted is not None  # None only when working in place
    return converted
