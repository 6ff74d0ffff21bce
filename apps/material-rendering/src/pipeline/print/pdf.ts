import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { deflate, filterRows } from './deflate.js';
import { type PrintRaster } from './raster.js';
import { type Sink } from './sink.js';

/** Printing condition of a PDF, for which its CMYK is made. */
export interface OutputCondition {
  /** Name in the registry of the ICC. */
  readonly identifier: string;
  readonly info: string;
  /** ICC profile of the output. */
  readonly profile: Uint8Array;
}

interface PdfDocument {
  readonly title: string;
  /** Time of the product's last change. */
  readonly date: Date;
  readonly output: OutputCondition;
  /** ICC profile of sRGB, for a print in RGB. */
  readonly rgbProfile: Uint8Array;
}

const pointsPerMillimetre = 72 / 25.4;
/** Objects by their number in the file. */
const ids = {
  catalog: 1,
  pages: 2,
  page: 3,
  content: 4,
  outputProfile: 5,
  rgbProfile: 6,
  image: 7,
  imageLength: 8,
  alpha: 9,
  metadata: 10,
  info: 11,
} as const;

const number = (value: number): string => String(Number(value.toFixed(4)));
const box = (values: readonly number[]): string => `[${values.map(number).join(' ')}]`;
const reference = (id: keyof typeof ids): string => `${ids[id]} 0 R`;
/** Text string in UTF-16, as hexadecimal digits. */
const text = (value: string): string => `<feff${Buffer.from(value, 'utf16le').swap16().toString('hex')}>`;
const escapeXml = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Writes objects and remembers their places for the cross-reference table. */
class PdfWriter {
  private readonly offsets = new Map<number, number>();
  private readonly hash = createHash('sha256');
  private length = 0;

  constructor(private readonly sink: Sink) {}

  async write(part: string | Uint8Array): Promise<void> {
    const bytes = typeof part === 'string' ? Buffer.from(part, 'latin1') : part;
    this.hash.update(bytes);
    this.length += bytes.length;
    await this.sink(bytes);
  }

  async object(id: keyof typeof ids, content: string): Promise<void> {
    this.begin(id);
    await this.write(`${ids[id]} 0 obj\n${content}\nendobj\n`);
  }

  async stream(id: keyof typeof ids, dictionary: string, bytes: Uint8Array): Promise<void> {
    this.begin(id);
    await this.write(`${ids[id]} 0 obj\n<< ${dictionary} /Length ${bytes.length} >>\nstream\n`);
    await this.write(bytes);
    await this.write('\nendstream\nendobj\n');
  }

  /** Writes a stream whose length is known after it, in an object of its own. */
  async longStream(
    [id, lengthId]: readonly [keyof typeof ids, keyof typeof ids],
    dictionary: string,
    content: (sink: Sink) => Promise<void>,
  ): Promise<void> {
    this.begin(id);
    await this.write(`${ids[id]} 0 obj\n<< ${dictionary} /Length ${reference(lengthId)} >>\nstream\n`);
    const start = this.length;
    await content((bytes) => this.write(bytes));
    const { length } = this;
    await this.write('\nendstream\nendobj\n');
    await this.object(lengthId, String(length - start));
  }

  /** Identifier of the bytes so far: the same content has the same identifier. */
  identifier(): string {
    return this.hash.copy().digest('hex').slice(0, 32);
  }

  async end(identifier: string): Promise<void> {
    const start = this.length;
    const count = Math.max(...Object.values(ids)) + 1;
    const entries = Array.from({ length: count }, (_, id) => {
      const offset = this.offsets.get(id);
      return offset === undefined ? '0000000000 65535 f \n' : `${String(offset).padStart(10, '0')} 00000 n \n`;
    });
    const trailer = `<< /Size ${count} /Root ${reference('catalog')} /Info ${reference('info')} /ID [<${identifier}> <${identifier}>] >>`;
    await this.write(`xref\n0 ${count}\n${entries.join('')}trailer\n${trailer}\nstartxref\n${start}\n%%EOF\n`);
  }

  private begin(id: keyof typeof ids): void {
    this.offsets.set(ids[id], this.length);
  }
}

/**
 * Writes a PDF/X-4 of one page: the print as one image, with its boxes. Everything follows from the
 * print and the document, so that the same product has the same bytes.
 */
export async function writePdf(raster: PrintRaster, document: PdfDocument, sink: Sink): Promise<void> {
  const pdf = new PdfWriter(sink);
  // The second line marks the file as binary
  await pdf.write('%PDF-1.6\n%\xe2\xe3\xcf\xd3\n');
  await writePage(pdf, raster, document);
  await writeImage(pdf, raster, document);
  const identifier = pdf.identifier();
  await writeMetadata(pdf, document, identifier);
  await pdf.end(identifier);
}

async function writePage(pdf: PdfWriter, raster: PrintRaster, { output }: PdfDocument): Promise<void> {
  const bleed = raster.bleed * pointsPerMillimetre;
  const width = raster.area.width * pointsPerMillimetre + 2 * bleed;
  const height = raster.area.height * pointsPerMillimetre + 2 * bleed;
  const intent =
    `<< /Type /OutputIntent /S /GTS_PDFX /OutputConditionIdentifier (${output.identifier}) /Info (${output.info}) ` +
    `/RegistryName (http://www.color.org) /DestOutputProfile ${reference('outputProfile')} >>`;
  await pdf.object(
    'catalog',
    `<< /Type /Catalog /Pages ${reference('pages')} /Metadata ${reference('metadata')} /OutputIntents [${intent}] >>`,
  );
  await pdf.object('pages', `<< /Type /Pages /Kids [${reference('page')}] /Count 1 >>`);
  const whole = box([0, 0, width, height]);
  const trim = box([bleed, bleed, width - bleed, height - bleed]);
  await pdf.object(
    'page',
    `<< /Type /Page /Parent ${reference('pages')} /MediaBox ${whole} /BleedBox ${whole} /TrimBox ${trim} ` +
      `/Contents ${reference('content')} /Resources << /XObject << /Print ${reference('image')} >> >> >>`,
  );
  // The last column and row of pixels may reach beyond the page
  const points = raster.pitch * pointsPerMillimetre;
  const [imageWidth, imageHeight] = [raster.width * points, raster.height * points];
  const matrix = [imageWidth, 0, 0, imageHeight, 0, height - imageHeight].map(number).join(' ');
  await pdf.stream('content', '', Buffer.from(`q ${matrix} cm /Print Do Q`, 'latin1'));
}

async function writeImage(pdf: PdfWriter, raster: PrintRaster, document: PdfDocument): Promise<void> {
  const { width, height } = raster;
  await writeProfile(pdf, 'outputProfile', document.output.profile, 4);
  const compressed = (channels: number): string =>
    `/Filter /FlateDecode /DecodeParms << /Predictor 15 /Colors ${channels} /Columns ${width} >>`;
  const image = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /BitsPerComponent 8`;
  if (raster.colorSpace === 'cmyk') {
    await pdf.longStream(['image', 'imageLength'], `${image} /ColorSpace /DeviceCMYK ${compressed(4)}`, (sink) =>
      deflate(filterRows(raster.bands(), width, { from: 0, channels: 4 }), sink),
    );
    return;
  }
  await writeProfile(pdf, 'rgbProfile', document.rgbProfile, 3);
  const colors = `/ColorSpace [/ICCBased ${reference('rgbProfile')}] /SMask ${reference('alpha')}`;
  await pdf.longStream(['image', 'imageLength'], `${image} ${colors} ${compressed(3)}`, (sink) =>
    deflate(filterRows(raster.bands(), width, { from: 0, channels: 3 }), sink),
  );
  const alpha: Buffer[] = [];
  await deflate(filterRows(raster.bands(), width, { from: 3, channels: 1 }), (bytes) => {
    alpha.push(Buffer.from(bytes));
    return Promise.resolve();
  });
  await pdf.stream('alpha', `${image} /ColorSpace /DeviceGray ${compressed(1)}`, Buffer.concat(alpha));
}

const writeProfile = (pdf: PdfWriter, id: 'outputProfile' | 'rgbProfile', profile: Uint8Array, channels: number) =>
  pdf.stream(id, `/N ${channels} /Filter /FlateDecode`, deflateSync(profile));

/** Writes the metadata as XMP and as the information dictionary, which PDF/X-4 both requires. */
async function writeMetadata(pdf: PdfWriter, { title, date }: PdfDocument, identifier: string): Promise<void> {
  const time = `${date.toISOString().slice(0, 19)}Z`;
  const uuid = identifier.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  const xmp = `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/"
 xmlns:pdfxid="http://www.npes.org/pdfx/ns/id/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/"
 pdfxid:GTS_PDFXVersion="PDF/X-4" pdf:Trapped="False" xmp:CreateDate="${time}" xmp:ModifyDate="${time}" xmp:MetadataDate="${time}"
 xmpMM:DocumentID="uuid:${uuid}" xmpMM:RenditionClass="default" xmpMM:VersionID="1">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">${escapeXml(title)}</rdf:li></rdf:Alt></dc:title>
</rdf:Description>
</rdf:RDF>
</x:xmpmeta>
<?xpacket end="w"?>`;
  await pdf.stream('metadata', '/Type /Metadata /Subtype /XML', Buffer.from(xmp));
  const pdfTime = `(D:${time.replaceAll(/[-:TZ]/g, '')}Z)`;
  await pdf.object(
    'info',
    `<< /Title ${text(title)} /CreationDate ${pdfTime} /ModDate ${pdfTime} /Trapped /False /GTS_PDFXVersion (PDF/X-4) >>`,
  );
}
