import { deflateSync } from 'node:zlib';
import { imageOperators, writeImage } from './pdf-image.js';
import { outlineOperators, writeOutline } from './pdf-outline.js';
import { numbers, PdfWriter, pointsPerMillimetre, reference } from './pdf-writer.js';
import { type PrintOutline } from './print-outline.js';
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

const box = (values: readonly number[]): string => `[${numbers(values)}]`;
/** Text string in UTF-16, as hexadecimal digits. */
const text = (value: string): string => `<feff${Buffer.from(value, 'utf16le').swap16().toString('hex')}>`;
const escapeXml = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/**
 * Writes a PDF/X-4 of one page: the print as one image or as the outline of a text, with its boxes.
 * Everything follows from the print and the document, so that the same product has the same bytes.
 */
export async function writePdf(print: PrintRaster | PrintOutline, document: PdfDocument, sink: Sink): Promise<void> {
  const pdf = new PdfWriter(sink);
  // The second line marks the file as binary
  await pdf.write('%PDF-1.6\n%\xe2\xe3\xcf\xd3\n');
  await writePage(pdf, print, document);
  await writeProfile(pdf, 'outputProfile', document.output.profile, 4);
  if (print.colorSpace === 'rgb') await writeProfile(pdf, 'rgbProfile', document.rgbProfile, 3);
  await ('outline' in print ? writeOutline(pdf, print) : writeImage(pdf, print));
  const identifier = pdf.identifier();
  await writeMetadata(pdf, document, identifier);
  await pdf.end(identifier);
}

async function writePage(pdf: PdfWriter, print: PrintRaster | PrintOutline, { output }: PdfDocument): Promise<void> {
  const bleed = print.bleed * pointsPerMillimetre;
  const width = print.area.width * pointsPerMillimetre + 2 * bleed;
  const height = print.area.height * pointsPerMillimetre + 2 * bleed;
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
  const colorSpace =
    print.colorSpace === 'rgb' ? `/ColorSpace << /Colors [/ICCBased ${reference('rgbProfile')}] >> ` : '';
  await pdf.object(
    'page',
    `<< /Type /Page /Parent ${reference('pages')} /MediaBox ${whole} /BleedBox ${whole} /TrimBox ${trim} ` +
      `/Contents ${reference('content')} /Resources << ${colorSpace}/XObject << /Artwork ${reference('artwork')} >> >> >>`,
  );
  const operators = 'outline' in print ? outlineOperators(print) : imageOperators(print);
  await pdf.stream('content', '', Buffer.from(operators, 'latin1'));
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
