import { Injectable } from '@nestjs/common';
import { printFileExtensions, printFileKey, productionTicketName, type StoredPrintFiles } from '#contracts';
import { BlobStore } from '#storage';

type File = StoredPrintFiles['files'][number];

/** Returns the name of a print file in the folder of a production. */
export const productionFileName = ({ place, format }: Pick<File, 'place' | 'format'>): string =>
  `${place}.${printFileExtensions[format]}`;

/**
 * Folders of productions in the blob store. Each file appears at once, and the ticket last, so that
 * a program that waits for the ticket finds all files.
 */
@Injectable()
export class ProductionStore {
  constructor(private readonly blobs: BlobStore) {}

  /**
   * Copies print files, then writes the ticket. Can be repeated after an interruption.
   *
   * @throws Error when a print file is missing, and the errors of the blob store
   */
  async publish(
    folder: string,
    { printFilesId, files, ticket }: { printFilesId: number; files: readonly File[]; ticket: Buffer },
    signal: AbortSignal,
  ): Promise<void> {
    const ticketKey = `${folder}/${productionTicketName}`;
    const existing = await this.blobs.get(ticketKey);
    // The files of another ticket are about to be replaced
    if (existing && !existing.equals(ticket)) await this.blobs.delete(ticketKey);
    for (const file of files) {
      signal.throwIfAborted();
      const name = `${file.sha256}.${printFileExtensions[file.format]}`;
      await this.copy(printFileKey({ printFilesId, name }), `${folder}/${productionFileName(file)}`);
    }
    await this.blobs.put(ticketKey, ticket);
  }

  private async copy(from: string, to: string): Promise<void> {
    const source = await this.blobs.read(from);
    if (!source) throw new Error(`print file ${from} is missing in the blob store`);
    // `put` reports it when it reads; an error before that would end the process
    source.on('error', () => undefined);
    try {
      await this.blobs.put(to, source);
    } finally {
      source.destroy();
    }
  }
}
