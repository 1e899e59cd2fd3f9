"""Write a picture and its data: PDF, PNG and csv, the same bytes for the same data."""

from __future__ import annotations

import io
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from models.files import make_folder, write_atomic


def save_picture(picture: Figure, frame: pd.DataFrame, stem: str | Path) -> list[Path]:
    """Write ``<stem>.pdf``, ``<stem>.png`` and ``<stem>.csv``, which holds what is drawn.

    The files carry no date, so equal data gives equal bytes. Nothing is written before all
    three are rendered. The folder is made if absent, or InputError says why not.
    """
    pdf, png = io.BytesIO(), io.BytesIO()
    picture.savefig(pdf, format="pdf", metadata={"CreationDate": None})
    picture.savefig(png, format="png", dpi=150, metadata={"Software": None})
    contents = {"pdf": pdf.getvalue(), "png": png.getvalue()}
    contents["csv"] = frame.to_csv(index=False).encode()
    stem = Path(stem)
    make_folder(stem.parent)
    paths = [stem.with_name(f"{stem.name}.{ending}") for ending in contents]
    for path, content in zip(paths, contents.values(), strict=True):
        write_atomic(path, content)
    return paths
