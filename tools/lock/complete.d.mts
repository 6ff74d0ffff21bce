export interface LockedPackage {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
export interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}
export function platformOf(name: string): { os?: string[]; cpu?: string[] };
export function completeLock<Content extends Lock>(lock: Content): { lock: Content; added: string[]; ranges: string[] };
