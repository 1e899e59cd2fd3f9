"""Pictures: one plot function per file; each takes data and, optionally, axes to draw on."""
