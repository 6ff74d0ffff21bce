/** A stored, already checked picture: `hash` names its bytes for ever, `read` fetches them when they are needed. */
export interface PrintTexture {
  readonly hash: string;
  read(): Promise<Buffer>;
}
