"""Deep learning models of the experiments (paper, Table II)."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["MODELS", "Model"]


class Model(NamedTuple):
    """A model, its dataset, D data chunks, B mini-batches in each, and the size q of gradients."""

    name: str
    dataset: str
    chunks: int
    minibatches: int
    gradient_mb: float


# q is not in Table II: four bytes for each parameter. Parameters: torchvision (ResNet-50/101
# 25.557 and 44.549, GoogLeNet 6.625 million), MXNet Gluon model zoo (AlexNet 61,100,840), LeNet-5
# 61,706; Inception-BN: file size of Inception v2 in the ONNX model zoo.
MODELS = (
    Model("ResNet-50", "CIFAR10", 27, 58, 102.2),
    Model("ResNet-101", "CIFAR10", 27, 58, 178.2),
    Model("GoogLeNet", "Caltech101", 115, 58, 26.5),
    Model("LeNet", "Caltech101", 115, 58, 0.247),
    Model("AlexNet", "ImageNet-12", 60, 58, 244.4),
    Model("Inception-BN", "ImageNet-12", 60, 58, 45.0),
)
