export function findChromium(environment?: NodeJS.ProcessEnv): string | undefined;
export function provideChromium(): Promise<string | undefined>;
export function chromiumForTests(environment?: NodeJS.ProcessEnv): string | undefined;
