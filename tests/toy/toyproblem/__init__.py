"""A problem of its own package: there is room for a few of the things that come by."""
