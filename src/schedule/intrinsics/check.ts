export const checkIntrinsic = (): void => {};
