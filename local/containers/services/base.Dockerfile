FROM scratch
ADD debian.tar /
