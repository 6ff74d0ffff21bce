import { Module } from '@nestjs/common';
import { DocsController } from './docs.controller.js';
import { PageWriter } from './page-writer.js';
import { ProblemController } from './problem.controller.js';

/** Pages for client developers: the interactive documentation and the problem codes. */
@Module({ controllers: [DocsController, ProblemController], providers: [PageWriter] })
export class DocsModule {}
