#!/bin/sh
# sh install.sh BASE_URL [FOLDER]: fetches botctl's single file from BASE_URL, checks it against SHA256SUMS there, and puts
# it into FOLDER (~/.local/bin) as botctl. It needs no root and changes nothing else.
set -eu
fail() {
  echo "install.sh: $1 Nothing was installed." >&2
  exit 1
}
[ $# -ge 1 ] || fail 'Say where the files are: sh install.sh BASE_URL [FOLDER].'
base=${1%/} folder=${2:-$HOME/.local/bin}
case $base in
  https://* | file:///* | http://127.0.0.1:* | http://localhost:*) ;;
  *) fail 'The base URL must begin with https://.' ;;
esac
machine=$(uname -s)-$(uname -m)
case $machine in
  Linux-x86_64) file=botctl-linux-x64 ;;
  Linux-aarch64) file=botctl-linux-arm64 ;;
  *) fail "There is no file for $machine: use npm." ;;
esac
[ ! -e /etc/alpine-release ] || fail 'There is no file for Alpine: use npm.'
half=$(mktemp -d)
trap 'rm -rf "$half"' EXIT
for name in SHA256SUMS "$file"; do
  if command -v curl >/dev/null; then curl -fsSL -o "$half/$name" "$base/$name"; else wget -qO "$half/$name" "$base/$name"; fi ||
    fail "$base/$name could not be fetched."
done
(cd "$half" && grep " $file\$" SHA256SUMS | sha256sum -c --status -) || fail "$file does not match SHA256SUMS."
chmod 755 "$half/$file"
version=$("$half/$file" --version) || fail "$file does not run on this machine."
mkdir -p "$folder"
cp "$half/$file" "$folder/.botctl.$$" && mv -f "$folder/.botctl.$$" "$folder/botctl"
echo "Installed $folder/botctl ($version)."
