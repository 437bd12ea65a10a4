# Stands in for gcr.io/distroless/nodejs24-debian13:nonroot, where no registry can be reached.
FROM scratch
ADD debian.tar /
COPY node /nodejs/bin/node
COPY passwd /etc/passwd
USER 65532
