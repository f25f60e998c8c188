import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { crc32, createDeflate } from 'node:zlib';

/** Returns an RGBA PNG of stripes with hundreds of times as many pixels as bytes. */
export async function largePng(width: number, height: number): Promise<Buffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6], 8);
  const rows = [90, 200].map((grey) => Buffer.alloc(width * 4 + 1, grey).fill(0, 0, 1)); // filter type: none
  const striped = Readable.from(
    (function* () {
      for (let y = 0; y < height; y += 1) yield rows[(y >> 6) & 1];
    })(),
  );
  const pixels = await buffer(striped.pipe(createDeflate({ level: 1 })));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
