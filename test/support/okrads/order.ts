/** What the process that runs the okrads of stages is told, a line of JSON each. The ids are those of the one who tells it. */
export type Order =
  | {
      readonly do: 'Start';
      readonly id: number;
      /** What it is started with besides the environment of the process. */
      readonly environment: Readonly<Record<string, string>>;
      /** The file to which it logs. */
      readonly log: string;
    }
  | { readonly do: 'End'; readonly id: number };

/** What it answers with once an okrad has ended. */
export interface Ended {
  readonly ended: number;
}

/** What it tells the one who started it, once it takes orders. */
export interface Listening {
  readonly port: number;
}
