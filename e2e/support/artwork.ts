import sharp from 'sharp';

/** Returns a blue PNG with a red upper left quarter, which shows its orientation, as data URI. */
export async function artwork(width = 600, height = 800): Promise<string> {
  const corner = await sharp({
    create: { width: Math.floor(width / 2), height: Math.floor(height / 2), channels: 3, background: '#d02020' },
  })
    .png()
    .toBuffer();
  const bytes = await sharp({ create: { width, height, channels: 3, background: '#2040d0' } })
    .composite([{ input: corner, left: 0, top: 0 }])
    .png()
    .toBuffer();
  return `data:image/png;base64,${bytes.toString('base64')}`;
}
