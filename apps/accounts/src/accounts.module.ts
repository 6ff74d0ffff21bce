import { Module, type DynamicModule } from '@nestjs/common';
import { EventsModule } from '#events';
import { PersistenceModule } from '#persistence';
import type { Env } from './env.js';
import { KeyCipher } from './keys/key-cipher.js';
import { KeyController } from './keys/key.controller.js';
import { KeyRepository } from './keys/key.repository.js';
import { KeyService } from './keys/key.service.js';
import { AccessTokenEntity } from './tokens/access-token.entity.js';
import { TokenController } from './tokens/token.controller.js';
import { TokenQueries } from './tokens/token.queries.js';
import { TokenRepository } from './tokens/token.repository.js';
import { TokenService } from './tokens/token.service.js';
import { UserController } from './users/user.controller.js';
import { UserEntity } from './users/user.entity.js';
import { UserQueries } from './users/user.queries.js';
import { UserRepository } from './users/user.repository.js';
import { UserService } from './users/user.service.js';

/** Users, their access tokens and personal API keys. Says `user.created` and `token.revoked`, listens to nothing. */
@Module({
  controllers: [UserController, TokenController, KeyController],
  providers: [
    UserService,
    UserRepository,
    UserQueries,
    TokenService,
    TokenRepository,
    TokenQueries,
    KeyService,
    KeyRepository,
  ],
})
export class AccountsModule {
  static with(env: Env): DynamicModule {
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
        }),
      ],
      providers: [{ provide: KeyCipher, useValue: new KeyCipher(env.KEY_ENCRYPTION_SECRET) }],
    };
  }
}
