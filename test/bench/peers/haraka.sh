#!/bin/sh
# Haraka with a plugin that parses each email and posts it before the 250, for `npm run bench -- --peer`.
# Before: `npm install --prefix "$HARAKA_DIR" Haraka mailparser`.
set -e
here=$(cd "$(dirname "$0")" && pwd)
config=$PEER_DIR
mkdir -p "$config/config" "$config/plugins"
cp "$here/haraka-post.js" "$config/plugins/post.js"
cp "$HARAKA_DIR/node_modules/Haraka/config/connection.ini" "$config/config/"
ln -s "$HARAKA_DIR/node_modules" "$config/node_modules"
printf 'listen=127.0.0.1:%s\nnodes=0\n' "$PEER_PORT" > "$config/config/smtp.ini"
printf 'post\n' > "$config/config/plugins"
printf 'warn\n' > "$config/config/loglevel"
HARAKA=$config exec node "$HARAKA_DIR/node_modules/Haraka/haraka.js"
