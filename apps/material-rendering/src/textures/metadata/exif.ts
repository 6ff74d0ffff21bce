/** Returns EXIF data with an orientation only: a TIFF with one entry. */
export function exifOf(orientation: number): Buffer {
  const tiff = Buffer.alloc(26);
  tiff.write('II*\0\x08\0\0\0\x01\0', 'latin1');
  // Tag (orientation), type (SHORT), count, value. The last four bytes stay 0: no further
  // directory
  tiff.writeUInt16LE(0x112, 10);
  tiff.writeUInt16LE(3, 12);
  tiff.writeUInt32LE(1, 14);
  tiff.writeUInt16LE(orientation, 18);
  return tiff;
}
