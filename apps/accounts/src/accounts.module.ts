import { Module, type DynamicModule } from '@nestjs/common';
import { EventsModule, on } from '#events';
import { IdempotencyKeys } from '#idempotency';
import { Log } from '#observability';
import { PersistenceModule } from '#persistence';
import { ApplicationController } from './applications/application.controller.js';
import { ApplicationQueries } from './applications/application.queries.js';
import { ApplicationRepository } from './applications/application.repository.js';
import { ApplicationService } from './applications/application.service.js';
import { ClientSecretCipher } from './applications/client-secret.crypto.js';
import { AccountsEnv } from './env.js';
import { ConsentController } from './consents/consent.controller.js';
import { ConsentQueries } from './consents/consent.queries.js';
import { ConsentRepository } from './consents/consent.repository.js';
import { IdentityController } from './identities/identity.controller.js';
import { IdentityQueries } from './identities/identity.queries.js';
import { IdentityRepository } from './identities/identity.repository.js';
import { IdentityService } from './identities/identity.service.js';
import { OpenIdProviderClient } from './identities/openid-provider.client.js';
import { KeyCipher } from './keys/key.crypto.js';
import { KeyController } from './keys/key.controller.js';
import { KeyRepository } from './keys/key.repository.js';
import { KeyService } from './keys/key.service.js';
import { MailClient } from './mail/mail.client.js';
import { MailConsumer } from './mail/mail.consumer.js';
import { MailController } from './mail/mail.controller.js';
import { MailLinkKey } from './mail/mail-link.crypto.js';
import { MailLinkRepository } from './mail/mail-link.repository.js';
import { MailService } from './mail/mail.service.js';
import { AuthorizationEvaluator } from './oauth/authorization.adapter.js';
import { AuthorizationRepository } from './oauth/authorization.repository.js';
import { AuthorizationService } from './oauth/authorization.service.js';
import { ClientQueries } from './oauth/client.queries.js';
import { ClientService } from './oauth/client.service.js';
import { IntrospectionQueries } from './oauth/introspection.queries.js';
import { IssuedTokenRepository } from './oauth/issued-token.repository.js';
import { OAuthController } from './oauth/oauth.controller.js';
import { OAuthService } from './oauth/oauth.service.js';
import { SignInRateLimiter } from './sessions/sign-in.limiter.js';
import { SessionController } from './sessions/session.controller.js';
import { SessionQueries } from './sessions/session.queries.js';
import { SessionRepository } from './sessions/session.repository.js';
import { SessionService } from './sessions/session.service.js';
import { AccessTokenEntity } from './tokens/access-token.entity.js';
import { AwaitRevocationBroadcast } from './tokens/await-revocation-broadcast.interceptor.js';
import { ExpiredSweeper } from './tokens/expired.sweeper.js';
import { TokenController } from './tokens/token.controller.js';
import { TokenQueries } from './tokens/token.queries.js';
import { TokenRepository } from './tokens/token.repository.js';
import { TokenService } from './tokens/token.service.js';
import { MemberController } from './users/member.controller.js';
import { MemberRepository } from './users/member.repository.js';
import { MemberService } from './users/member.service.js';
import { UserController } from './users/user.controller.js';
import { UserEntity } from './users/user.entity.js';
import { UserQueries } from './users/user.queries.js';
import { UserRepository } from './users/user.repository.js';
import { UserService } from './users/user.service.js';

/**
 * Accounts service: users, sign-in, mail to users, applications, OAuth, access tokens and personal
 * API keys. Publishes `user.deleted`, `token.revoked`, `application.revoked`, and requests of mail,
 * which it consumes itself. `user.created` and `user.updated` have no subscribers, so they are not
 * stored.
 */
@Module({
  controllers: [
    UserController,
    MemberController,
    SessionController,
    IdentityController,
    ApplicationController,
    ConsentController,
    OAuthController,
    TokenController,
    KeyController,
    MailController,
  ],
  providers: [
    UserService,
    UserRepository,
    UserQueries,
    MemberService,
    MemberRepository,
    SessionService,
    SessionRepository,
    SessionQueries,
    SignInRateLimiter,
    IdentityService,
    IdentityRepository,
    IdentityQueries,
    OpenIdProviderClient,
    ApplicationService,
    ApplicationRepository,
    ApplicationQueries,
    IdempotencyKeys,
    ConsentRepository,
    ConsentQueries,
    OAuthService,
    ClientService,
    ClientQueries,
    AuthorizationService,
    AuthorizationEvaluator,
    AuthorizationRepository,
    IssuedTokenRepository,
    IntrospectionQueries,
    TokenService,
    TokenRepository,
    TokenQueries,
    ExpiredSweeper,
    AwaitRevocationBroadcast,
    KeyService,
    KeyRepository,
    MailService,
    MailLinkRepository,
    MailClient,
    MailConsumer,
  ],
})
export class AccountsModule {
  static with(env: AccountsEnv, log: Log): DynamicModule {
    return {
      module: AccountsModule,
      imports: [
        PersistenceModule.forService({
          service: 'accounts',
          url: env.DATABASE_URL,
          poolSize: env.DATABASE_POOL_SIZE,
          entities: [UserEntity, AccessTokenEntity],
        }),
        EventsModule.forService({
          service: 'accounts',
          databaseUrl: env.DATABASE_URL,
          jobsUrl: env.REDIS_JOBS_URL,
          requestsUrl: env.REDIS_REQUESTS_URL,
          log,
          drainMs: env.DRAIN_MS,
          consumers: {
            'password.reset-requested': on(MailConsumer, 'passwordResetRequested'),
            'password.reset': on(MailConsumer, 'passwordReset'),
            'email.confirmation-requested': on(MailConsumer, 'emailConfirmationRequested'),
          },
        }),
      ],
      providers: [
        { provide: AccountsEnv, useValue: env },
        { provide: Log, useValue: log },
        { provide: MailLinkKey, useValue: new MailLinkKey(env.KEY_ENCRYPTION_SECRET) },
        { provide: ClientSecretCipher, useValue: new ClientSecretCipher(env.KEY_ENCRYPTION_SECRET) },
        { provide: KeyCipher, useValue: new KeyCipher(env.KEY_ENCRYPTION_SECRET) },
      ],
    };
  }
}
