"""Names of container images: what people paste, and what enroot takes."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter, ValidationError

from bot.image_reference import Reference, image_reference

DIGEST = f"sha256:{'ab' * 32}"
_READ = TypeAdapter(Reference)


@pytest.mark.parametrize(
    ("typed", "docker", "uri", "file"),
    [
        (
            "us-docker.pkg.dev/p/r/img:tag",
            "us-docker.pkg.dev/p/r/img:tag",
            "docker://us-docker.pkg.dev#p/r/img:tag",
            "img-tag.sqsh",
        ),
        (
            "docker://US-docker.pkg.dev/p/r/img",
            "us-docker.pkg.dev/p/r/img:latest",
            "docker://us-docker.pkg.dev#p/r/img:latest",
            "img-latest.sqsh",
        ),
        (
            "nvcr.io#nvidia/nemo:25.07",
            "nvcr.io/nvidia/nemo:25.07",
            "docker://nvcr.io#nvidia/nemo:25.07",
            "nemo-25.07.sqsh",
        ),
        (
            "gcr.io:443/p/img:1",
            "gcr.io:443/p/img:1",
            "docker://gcr.io:443#p/img:1",
            "img-1.sqsh",
        ),
        (
            "nvidia/cuda:12.4.1-base",
            "docker.io/nvidia/cuda:12.4.1-base",
            "docker://registry-1.docker.io#nvidia/cuda:12.4.1-base",
            "cuda-12.4.1-base.sqsh",
        ),
        (
            "ubuntu",
            "docker.io/ubuntu:latest",
            "docker://registry-1.docker.io#ubuntu:latest",
            "ubuntu-latest.sqsh",
        ),
        (
            f"gcr.io/p/img@{DIGEST}",
            f"gcr.io/p/img@{DIGEST}",
            f"docker://gcr.io#p/img:{DIGEST}",
            "img-abababababab.sqsh",
        ),
        (
            f"docker://gcr.io#p/img:{DIGEST}",
            f"gcr.io/p/img@{DIGEST}",
            f"docker://gcr.io#p/img:{DIGEST}",
            "img-abababababab.sqsh",
        ),
        (
            f"gcr.io/p/img:7@{DIGEST}",
            f"gcr.io/p/img@{DIGEST}",
            f"docker://gcr.io#p/img:{DIGEST}",
            "img-abababababab.sqsh",
        ),
    ],
)
def test_a_reference_is_read_in_every_shape(typed: str, docker: str, uri: str, file: str) -> None:
    """A registry stands before `#`, without which enroot would ask Docker Hub."""
    found = image_reference(typed)
    assert (found.docker, found.uri, found.file) == (docker, uri, file)
    assert _READ.validate_python(_READ.validate_python(typed)) == docker


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("us-docker.pkg.dev/{YOUR_CONTAINER_IMG_URI}:x", "stands for something of yours"),
        ("us-docker.pkg.dev/<project>/img", "stands for something of yours"),
        ("YOUR_IMAGE:1", "stands for something of yours"),
        ("user:secret@gcr.io/p/img", "A user or password does not belong"),
        ("docker://$oauthtoken@nvcr.io#nvidia/nemo:1", "A user or password does not belong"),
        ("gs://bucket/nemo.sqsh", "is in a bucket"),
        ("~/images/nemo.sqsh", "is an image file already"),
        ("https://gcr.io/p/img", "is not the name of an image in a registry"),
        ("gcr.io/p/Img", "is not possible as the name of an image"),
        ("gcr.io/p/img:a b", "is not the name of an image"),
        ("gcr.io/p/img;rm:1", "is not possible as the name of an image"),
        ("gcr.io/p/img:$(id)", "is not possible as a tag"),
        ("gcr.io/../img", "is not possible as the name of an image"),
        ("gcr.io/p/img@sha256:12", "is not a digest"),
        ("-x.io/p/img", "is not a registry"),
        ("", "is not the name of an image"),
        ("gcr.io/" + "a" * 500, "is not the name of an image"),
    ],
)
def test_what_is_no_reference_is_refused_in_words(typed: str, said: str) -> None:
    """And nothing of it reaches the cluster."""
    with pytest.raises(ValidationError) as refused:
        _READ.validate_python(typed)
    assert said in str(refused.value)


def test_a_password_is_not_said_again() -> None:
    """The refusal is shown in the channel."""
    with pytest.raises(ValidationError) as refused:
        _READ.validate_python("user:secret@gcr.io/p/img")
    assert "secret" not in refused.value.errors(include_input=False)[0]["msg"]
