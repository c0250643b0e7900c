const hexOf = (bytes) => `0x${Buffer.from(bytes).toString('hex') || '0'}`;
const bytesOf = (value, width) =>
  Buffer.from(
    value
      .toString(16)
      .padStart(width * 2, '0')
      .slice(0, width * 2),
    'hex',
  );

exports.toBigIntBE = (bytes) => BigInt(hexOf(bytes));
exports.toBigIntLE = (bytes) => BigInt(hexOf(Uint8Array.from(bytes).reverse()));
exports.toBufferBE = bytesOf;
exports.toBufferLE = (value, width) => bytesOf(value, width).reverse();
