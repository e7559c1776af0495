# syntax=docker/dockerfile:1
# docker build -f Examples/Deployment/ubuntu.Dockerfile -t checkout .
FROM swift:6.3-noble AS build
# libck-dev contains the static library libck.a. Add the development packages of other dependencies, such as libsqlite3-dev.
RUN apt-get update \
    && apt-get install -y --no-install-recommends libck-dev \
    && rm -rf /var/lib/apt/lists/*
ARG PACKAGE=Examples/Checkout
ARG PRODUCT=checkout
WORKDIR /build
COPY . .
RUN swift build -c release --static-swift-stdlib --package-path "$PACKAGE" --product "$PRODUCT" \
    && install -D "$(swift build -c release --static-swift-stdlib --package-path "$PACKAGE" --show-bin-path)/$PRODUCT" /app/program

FROM ubuntu:24.04
# Needs neither Swift nor Concurrency Kit. Install the shared libraries of other dependencies here, such as libsqlite3-0.
COPY --from=build /app/program /usr/local/bin/program
USER nobody
ENTRYPOINT ["/usr/local/bin/program"]
