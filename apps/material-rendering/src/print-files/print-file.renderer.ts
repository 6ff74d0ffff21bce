import { Injectable } from '@nestjs/common';
import { projectPath } from '#config';
import { type PrintFileFormat, printFileExtensions, type PrintOrder, type StoredPrintFiles } from '#contracts';
import { PermanentFailure } from '#events';
import { BlobStore } from '#storage';
import { type Cut } from '#rendering/print/cut.js';
import { writePdf } from '#rendering/print/pdf.js';
import { outlinePrint, type PrintOutline } from '#rendering/print/print-outline.js';
import { writePng } from '#rendering/print/png.js';
import { type PrintArea } from '#rendering/print/print-area.js';
import { type PrintProfiles, readProfiles } from '#rendering/print/profiles.js';
import { type PrintRaster, rasterize } from '#rendering/print/raster.js';
import { type Sink } from '#rendering/print/sink.js';
import { writeTiff } from '#rendering/print/tiff.js';
import { TextRenderer } from '../texts/text.renderer.js';
import { TextureDecoder } from '../textures/texture.decoder.js';
import { TextureRepository } from '../textures/texture.repository.js';
import { PrintFileStore } from './print-file.store.js';

type Place = PrintOrder['places'][number];

/** A stored print file with its size. */
export interface MadeFile {
  readonly file: StoredPrintFiles['files'][number];
  readonly bytes: number;
}

/** Renders print files into the blob store. */
@Injectable()
export class PrintFileRenderer {
  /** Settled after all earlier files: one at a time, because an artwork occupies up to 200 MB. */
  private earlier: Promise<unknown> = Promise.resolve();
  private profiles: PrintProfiles | undefined;

  constructor(
    private readonly textures: TextureRepository,
    private readonly decoder: TextureDecoder,
    private readonly blobs: BlobStore,
    private readonly files: PrintFileStore,
    private readonly texts: TextRenderer,
  ) {}

  /**
   * Renders the file of a place. The rows are stored while the next ones are drawn.
   *
   * @param signal aborts the rendering after the rows that are being drawn
   * @throws PermanentFailure when the texture is missing, and the errors of decoder and blob store
   */
  render(printFilesId: number, order: PrintOrder, place: Place, signal: AbortSignal): Promise<MadeFile> {
    const made = this.earlier.then(() => this.renderNow(printFilesId, order, place, signal));
    this.earlier = made.catch(() => undefined);
    return made;
  }

  private async renderNow(
    printFilesId: number,
    order: PrintOrder,
    place: Place,
    signal: AbortSignal,
  ): Promise<MadeFile> {
    signal.throwIfAborted();
    const profiles = (this.profiles ??= await readProfiles(projectPath('libs/rendering/profiles')));
    const { format, printing, area, placed, textureHash } = place;
    // PNG has no CMYK
    const colorSpace = format === 'png' ? 'rgb' : printing.colorSpace;
    const { bleed, dpi, mirror } = printing;
    const print = { area, bleed, dpi, mirror, colorSpace };
    const texture = await this.textures.find(textureHash);
    const raster =
      texture &&
      (await this.blobs.withFile(texture.key, (path) => {
        const source = { ...texture, decode: (cut: Cut) => this.decoder.cut(path, cut) };
        return rasterize(source, placed, print, profiles.cmykPath);
      }));
    if (!raster) throw new PermanentFailure(`texture ${textureHash} is missing in the blob store`);
    const outline = format === 'pdf' ? await this.outlineOf(place, print, profiles) : null;
    const write = writers[format];
    const { sha256, bytes } = await this.files.write(printFilesId, place.place, printFileExtensions[format], (sink) =>
      write({ raster, outline, order, profiles }, async (chunk) => {
        signal.throwIfAborted();
        await sink(chunk);
      }),
    );
    const { width, height } = raster;
    return { file: { place: place.place, format, width, height, dpi, colorSpace, sha256 }, bytes };
  }

  /** Returns the curves of a text; null if its image is printed, as those of other artwork. */
  private async outlineOf(
    { textureHash, placed }: Place,
    print: PrintArea,
    { cmykPath }: PrintProfiles,
  ): Promise<PrintOutline | null> {
    const text = await this.textures.textOf(textureHash);
    const outline = text && (await this.texts.outline(text));
    const texture = outline && (await this.textures.find(textureHash));
    // Other fonts since then may have given another image
    if (!texture || texture.width !== outline.width || texture.height !== outline.height) return null;
    return outlinePrint({ outline, rgb: text.rgb }, placed, print, cmykPath);
  }
}

interface Document {
  readonly raster: PrintRaster;
  /** Replaces the raster in a PDF. */
  readonly outline: PrintOutline | null;
  readonly order: PrintOrder;
  readonly profiles: PrintProfiles;
}

const writers: Record<PrintFileFormat, (document: Document, sink: Sink) => Promise<void>> = {
  png: ({ raster }, sink) => writePng(raster, sink),
  tiff: ({ raster, profiles }, sink) =>
    writeTiff(raster, raster.colorSpace === 'cmyk' ? profiles.output.profile : profiles.rgb, sink),
  pdf: ({ raster, outline, order, profiles }, sink) =>
    writePdf(
      outline ?? raster,
      { title: order.title, date: new Date(order.changedAt), output: profiles.output, rgbProfile: profiles.rgb },
      sink,
    ),
};
