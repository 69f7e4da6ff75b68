/** Takes the file's bytes as they are freed from their framing, in order. They are good only until it returns. */
export interface LedgerSink {
  bytes(decoded: Buffer): void;
  /** The first message is whole: what it says of the file is known. */
  onFirstMessage(contentType: string | undefined, extensions: readonly unknown[]): void;
}

/** One of the two framings. Both methods throw LedgerFault; after that the decoder is of no more use. */
export interface LedgerDecoder {
  /** Keeps nothing of the chunk's memory. */
  push(chunk: Buffer): void;
  /** The answer ended properly. */
  end(): void;
}
