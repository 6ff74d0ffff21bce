import { Controller, Get, Param } from '@nestjs/common';
import { type ProblemCode, problems } from '#contracts';
import { DomainError } from '#kernel';
import { Public } from '../operations/operation.decorator.js';

/** What the `type` of a problem document points to. */
@Controller('problems')
export class ProblemController {
  @Public()
  @Get()
  list() {
    return { problems: Object.values(problems) };
  }

  @Public()
  @Get(':code')
  show(@Param('code') code: string) {
    if (!Object.hasOwn(problems, code))
      throw new DomainError(problems['request.not-found'], 'There is no such problem.');
    return problems[code as ProblemCode];
  }
}
