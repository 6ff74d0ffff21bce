import { Controller, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { QueueClients } from '#request-queue';
import { Public } from '../edge/routing/operation.decorator.js';
import { queryOf, sentForm } from '../edge/bodies/form-body.js';

type Endpoint = 'oauth.token' | 'oauth.revoke' | 'oauth.introspect';

/**
 * Endpoints of OAuth clients, which authenticate in each request, so that none has a token or a
 * session.
 */
@Controller()
export class OAuthController {
  constructor(private readonly clients: QueueClients) {}

  @Public()
  @Post('oauth/token')
  token(@Res() reply: FastifyReply): Promise<void> {
    return this.pass('oauth.token', reply);
  }

  @Public()
  @Post('oauth/revoke')
  revoke(@Res() reply: FastifyReply): Promise<void> {
    return this.pass('oauth.revoke', reply);
  }

  @Public()
  @Post('oauth/introspect')
  introspect(@Res() reply: FastifyReply): Promise<void> {
    return this.pass('oauth.introspect', reply);
  }

  private async pass(endpoint: Endpoint, reply: FastifyReply): Promise<void> {
    const { request } = reply;
    const form = sentForm(request);
    if (!form) throw new DomainError(problems['request.unsupported-media-type'], 'Send the parameters as a form.');
    // Proxies log URLs, so that a secret in one is disclosed
    if (Object.keys(queryOf(request).given).length > 0)
      throw new DomainError(problems['request.invalid'], 'Send all parameters in the body, none in the query.');
    const authorization = request.headers.authorization ?? null;
    const { status, headers, body } = await this.clients.of('accounts').call(endpoint, { authorization, form });
    void reply.status(status).headers({ ...headers, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    // simple-oauth2 requires JSON, also for a revocation, whose response has no content
    void reply.type('application/json; charset=utf-8').send(JSON.stringify(body ?? {}));
  }
}
