# syntax=docker/dockerfile:1
# docker build -f Examples/Deployment/ubuntu.Dockerfile -t checkout .
FROM swift:6.3-noble AS build
# The archive libck.a is linked in. What else the program needs to build goes here: with SQLite, libsqlite3-dev.
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
# Neither Swift nor Concurrency Kit. What the program loads besides goes here: with SQLite, libsqlite3-0.
COPY --from=build /app/program /usr/local/bin/program
USER nobody
ENTRYPOINT ["/usr/local/bin/program"]
