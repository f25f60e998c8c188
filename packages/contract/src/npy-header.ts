/** Bytes of the header, before the values. */
export const NPY_HEADER_BYTES = 128;

/** Returns the header of a NumPy file (`.npy`, version 1.0) with rows of 32-bit floats, little-endian. */
export function npyHeader(rows: number, columns: number): Uint8Array {
  const header = new Uint8Array(NPY_HEADER_BYTES).fill(0x20);
  const description = `{'descr': '<f4', 'fortran_order': False, 'shape': (${rows}, ${columns}), }`;
  header.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, NPY_HEADER_BYTES - 10, 0]);
  header.set(new TextEncoder().encode(description), 10);
  header[NPY_HEADER_BYTES - 1] = 0x0a;
  return header;
}
