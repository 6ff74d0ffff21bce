import { Injectable } from '@nestjs/common';
import { QueueClients } from '#request-queue';
import type { PageContext } from '../pages/page-context.js';
import { providerButtonTexts } from './identities.texts.js';

/** Data of the template `identities/providers`. */
interface ProviderButtons {
  readonly or: string;
  readonly to: string;
  readonly buttons: readonly { readonly name: string; readonly text: string }[];
}

/** Configured identity providers, and their sign-in buttons. */
@Injectable()
export class ProviderView {
  constructor(private readonly clients: QueueClients) {}

  /** Returns the providers in the order of the configuration. */
  async list(): Promise<readonly { name: string; label: string }[]> {
    return (await this.clients.of('accounts').call('identities.providers', {})).providers;
  }

  /** @param to path of this site to return to after sign-in; empty for the default */
  async buttons({ language }: PageContext, to: string): Promise<ProviderButtons> {
    const { or, signInWith } = providerButtonTexts[language];
    const providers = await this.list();
    return { or, to, buttons: providers.map(({ name, label }) => ({ name, text: signInWith(label) })) };
  }
}
