/**
 * Returns the units of a video, parameter sets first. Containers store the sets in a description (`avcC`), and the
 * other units with their lengths.
 */
export function toUnits(description: Uint8Array, packets: readonly Uint8Array[]): Uint8Array[] {
  const sets: Uint8Array[] = [];
  let at = 5;
  for (const mask of [0x1f, 0xff]) {
    const count = (description[at++] ?? 0) & mask;
    for (let index = 0; index < count; index++) {
      const length = ((description[at] ?? 0) << 8) | (description[at + 1] ?? 0);
      sets.push(description.subarray(at + 2, at + 2 + length));
      at += 2 + length;
    }
  }
  const lengthSize = ((description[4] ?? 3) & 3) + 1;
  return [...sets, ...packets.flatMap((packet) => split(packet, lengthSize))];
}

function split(packet: Uint8Array, lengthSize: number): Uint8Array[] {
  const bytes = Buffer.from(packet.buffer, packet.byteOffset, packet.byteLength);
  const units: Uint8Array[] = [];
  for (let at = 0; at + lengthSize <= bytes.length; ) {
    const length = bytes.readUIntBE(at, lengthSize);
    units.push(bytes.subarray(at + lengthSize, at + lengthSize + length));
    at += lengthSize + length;
  }
  return units;
}
