import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { type PayloadOf, problems, type Services, type StoredPrintFiles } from '#contracts';
import { DomainError } from '#kernel';
import { handlerFor } from '#request-queue';
import { PrintFileRepository } from './print-file.repository.js';

const Handles = handlerFor('material-rendering');
type Rendering = Services['material-rendering'];

@Controller()
export class PrintFileController {
  constructor(private readonly rows: PrintFileRepository) {}

  @Handles('print-files.request')
  request(@Payload() { isLimited, ...order }: PayloadOf<Rendering, 'print-files.request'>): Promise<StoredPrintFiles> {
    return this.rows.request(order, isLimited);
  }

  @Handles('print-files.status')
  async status(
    @Payload() { productId, printFilesId }: PayloadOf<Rendering, 'print-files.status'>,
  ): Promise<StoredPrintFiles> {
    const found = await this.rows.find(productId, printFilesId);
    if (!found) throw new DomainError(problems['print-files.not-found'], `Print files ${printFilesId} do not exist.`);
    return found;
  }
}
