import type { ChildProcess } from 'node:child_process';

export const root: string;
export function isUsableNode(version: string): boolean;
export function requireNode(): void;
export function stampOf(parts: readonly string[]): string;
export function isStamped(file: string, stamp: string): boolean;
export function forwardSignals(child: ChildProcess, ownSession?: boolean): () => boolean;
export function run(command: string, parameters: readonly string[]): Promise<number>;
export function install(): Promise<void>;
export function build(): Promise<void>;
