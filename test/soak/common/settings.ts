const { OKRA_SOAK_SEED, OKRA_SOAK_SECONDS, OKRA_SOAK_OBJECTS } = process.env;

/** What the chances come from. */
export const SEED = Number(OKRA_SOAK_SEED ?? Date.now() % 2 ** 31);
/** How long things happen. */
export const SECONDS = Number(OKRA_SOAK_SECONDS ?? 180);

/** How many objects things happen to. */
export const objectsOr = (usual: number): number => Number(OKRA_SOAK_OBJECTS ?? usual);
