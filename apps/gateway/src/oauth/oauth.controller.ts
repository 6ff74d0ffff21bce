import { Controller, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { QueueClients } from '#request-queue';
import { Public } from '../edge/routing/operation.decorator.js';
import { queryOf, sentForm } from '../edge/bodies/form-body.js';

type Endpoint = 'oauth.token' | 'oauth.revoke' | 'oauth.introspect';

/**
 * OAuth endpoints for client applications. Public, because a client authenticates with its
 * credentials in each request and not with an access token or a session.
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
    // Proxies log URLs, so a secret in the query would be disclosed
    if (Object.keys(queryOf(request).given).length > 0)
      throw new DomainError(problems['request.invalid'], 'Send all parameters in the body, none in the query.');
    const authorization = request.headers.authorization ?? null;
    const { status, headers, body } = await this.clients.of('accounts').call(endpoint, { authorization, form });
    void reply.status(status).headers({ ...headers, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    // A reply without a body becomes {}: simple-oauth2 parses the response to a revocation as JSON,
    // too
    void reply.type('application/json; charset=utf-8').send(JSON.stringify(body ?? {}));
  }
}
