import { runShared } from '#request-queue';

interface Group<Question, Value> {
  readonly questions: Question[];
  readonly value: Promise<Value>;
  readonly begin: () => Promise<unknown>;
}

/**
 * A reading that is shared by all who ask before it begins. Who asks while one is under way gets the next one: it sees
 * whatever was committed before the question, which one that has begun may not.
 */
export class NextReading<Question, Value> {
  private waiting: Group<Question, Value> | undefined;
  private isReading = false;

  /** @param read answers the questions of all who share a reading */
  constructor(private readonly read: (questions: readonly Question[]) => Promise<Value>) {}

  ask(question: Question): Promise<Value> {
    const group = (this.waiting ??= this.newGroup());
    group.questions.push(question);
    return group.value;
  }

  private newGroup(): Group<Question, Value> {
    const { promise, resolve, reject } = withResolvers<Value>();
    const questions: Question[] = [];
    const begin = () => runShared(() => this.read(questions)).then(resolve, reject);
    // At the end of the turn: those who ask in the same one share it
    if (!this.isReading) setImmediate(() => void this.readAll());
    this.isReading = true;
    return { questions, value: promise, begin };
  }

  private async readAll(): Promise<void> {
    for (let group = this.waiting; group; group = this.waiting) {
      this.waiting = undefined;
      await group.begin();
    }
    this.isReading = false;
  }
}

// Promise.withResolvers comes with Node 22
function withResolvers<Value>() {
  let resolve!: (value: Value) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<Value>((onValue, onError) => ([resolve, reject] = [onValue, onError]));
  return { promise, resolve, reject };
}
