import { Injectable } from '@nestjs/common';
import { QueueClients } from '#request-queue';
import type { PageContext } from '../pages/page-context.js';
import { buttonTexts } from './identities.texts.js';

/** What the template `identities/providers` shows. */
interface ProviderButtons {
  readonly or: string;
  readonly to: string;
  readonly buttons: readonly { readonly name: string; readonly text: string }[];
}

/** The providers that people can sign in with. */
@Injectable()
export class Providers {
  constructor(private readonly clients: QueueClients) {}

  /** In the order that the operator gave them. */
  async list(): Promise<readonly { name: string; label: string }[]> {
    return (await this.clients.of('accounts').call('identities.providers', {})).providers;
  }

  /** @param to a path of this site, to go on at after signing in */
  async buttons({ language }: PageContext, to: string): Promise<ProviderButtons> {
    const { or, signInWith } = buttonTexts[language];
    const providers = await this.list();
    return { or, to, buttons: providers.map(({ name, label }) => ({ name, text: signInWith(label) })) };
  }
}
