/** Thrown for an address that the process must not connect to. */
export class AddressNotAllowed extends Error {
  override readonly name = 'AddressNotAllowed';

  /** @param reason clause about the address, for clients: `it must be https` */
  constructor(readonly reason: string) {
    super(`the address is not allowed: ${reason}`);
  }
}

export const notPublic = (): AddressNotAllowed => new AddressNotAllowed('it is not on the public internet');
