# The ballast binary and rulectl, and nothing else that listens. Built from this checkout: docker compose build
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -o /out/ ./cmd/...

FROM debian:12-slim
RUN useradd --system --uid 10001 --no-create-home ballast
COPY --from=build /out/ballast /out/rulectl /usr/local/bin/
USER ballast
ENTRYPOINT ["ballast"]
