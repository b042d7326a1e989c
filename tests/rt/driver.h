/* The driver API as programs declare it, for tests in C. */
#ifndef RT_DRIVER_H
#define RT_DRIVER_H

#include <stddef.h>
#include <stdint.h>

enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    INVALID_DEVICE = 101,
    INVALID_CONTEXT = 201,
    INVALID_PTX = 218,
    FILE_NOT_FOUND = 301,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    ILLEGAL_ADDRESS = 700,
    PEER_ALREADY_ENABLED = 704,
    CONTEXT_IS_DESTROYED = 709,
    NOT_SUPPORTED = 801
};

#define OK(call) assert_int_equal(call, SUCCESS)

int cuInit(unsigned flags);
int cuDriverGetVersion(int *version);
int cuGetErrorName(int error, const char **text);
int cuGetErrorString(int error, const char **text);
int cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags, int *status);
int cuDeviceGetCount(int *count);
int cuDeviceGet(int *device, int ordinal);
int cuDeviceGetName(char *name, int size, int device);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDeviceTotalMem_v2(size_t *bytes, int device);
int cuCtxCreate_v2(void **context, unsigned flags, int device);
int cuCtxCreate_v4(void **context, const void *parameters, unsigned flags, int device);
int cuCtxDestroy_v2(void *context);
int cuCtxPushCurrent_v2(void *context);
int cuCtxPopCurrent_v2(void **context);
int cuCtxSetCurrent(void *context);
int cuCtxGetCurrent(void **context);
int cuCtxGetDevice(int *device);
int cuCtxGetFlags(unsigned *flags);
int cuCtxSynchronize(void);
int cuCtxEnablePeerAccess(void *context, unsigned flags);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active);

int cuModuleLoadData(void **module, const void *image);
int cuModuleLoad(void **module, const char *path);
int cuModuleUnload(void *module);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuModuleGetGlobal_v2(uint64_t *address, size_t *size, void *module, const char *name);
int cuModuleGetFunctionCount(unsigned *count, void *module);
int cuLibraryLoadData(void **library, const void *code, const int *options, void **values, unsigned count,
                      const int *library_options, void **library_values, unsigned library_count);
int cuLibraryGetKernel(void **kernel, void *library, const char *name);
int cuLibraryUnload(void *library);
int cuLinkCreate_v2(unsigned count, const int *options, void **values, void **state);
int cuLinkAddData_v2(void *state, int type, void *data, size_t size, const char *name, unsigned count,
                     const int *options, void **values);
int cuLinkComplete(void *state, void **image, size_t *size);
int cuLinkDestroy(void *state);
int cuFuncGetAttribute(int *value, int attribute, void *function);
int cuFuncSetAttribute(void *function, int attribute, int value);
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads, size_t shared);
int cuOccupancyMaxPotentialBlockSize(int *grid, int *block, void *function, size_t (*shared_of)(int),
                                     size_t shared, int limit);
int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **pointers,
                   void **extra);
int cuLaunchKernelEx(const void *config, void *function, void **pointers, void **extra);

int cuMemAlloc_v2(uint64_t *address, size_t size);
int cuMemFree_v2(uint64_t address);
int cuMemAllocPitch_v2(uint64_t *address, size_t *pitch, size_t width, size_t height, unsigned element_bytes);
int cuMemAllocManaged(uint64_t *address, size_t size, unsigned flags);
int cuMemHostAlloc(void **pointer, size_t size, unsigned flags);
int cuMemFreeHost(void *pointer);
int cuMemGetInfo_v2(size_t *free, size_t *total);
int cuMemGetAddressRange_v2(uint64_t *base, size_t *size, uint64_t address);
int cuPointerGetAttribute(void *data, int attribute, uint64_t address);
int cuPointerGetAttributes(unsigned count, int *attributes, void **data, uint64_t address);
int cuMemcpyHtoD_v2(uint64_t destination, const void *source, size_t size);
int cuMemcpyHtoD_v2_ptds(uint64_t destination, const void *source, size_t size);
int cuMemcpyDtoH_v2(void *destination, uint64_t source, size_t size);
int cuMemcpyDtoD_v2(uint64_t destination, uint64_t source, size_t size);
int cuMemcpyHtoDAsync_v2(uint64_t destination, const void *source, size_t size, void *stream);
int cuMemcpyDtoHAsync_v2(void *destination, uint64_t source, size_t size, void *stream);
int cuMemcpy2D_v2(const void *copy);
int cuMemcpy3D_v2(const void *copy);
int cuMemsetD8_v2(uint64_t address, uint8_t value, size_t count);
int cuMemsetD16_v2(uint64_t address, uint16_t value, size_t count);
int cuMemsetD32_v2(uint64_t address, uint32_t value, size_t count);
int cuMemsetD2D32_v2(uint64_t address, size_t pitch, uint32_t value, size_t width, size_t height);
int cuStreamWriteValue64_v2(void *stream, uint64_t address, uint64_t value, unsigned flags);
int cuArrayCreate_v2(void **array, const void *descriptor);
int cuArrayDestroy(void *array);
int cuMemcpyHtoA_v2(void *array, size_t offset, const void *source, size_t size);
int cuMemcpyAtoH_v2(void *destination, void *array, size_t offset, size_t size);
int cuTexObjectCreate(uint64_t *texture, const void *resource, const void *description, const void *view);
int cuTexObjectGetTextureDesc(void *description, uint64_t texture);
int cuTexObjectDestroy(uint64_t texture);

int cuMemCreate(uint64_t *handle, size_t size, const void *properties, uint64_t flags);
int cuMemRelease(uint64_t handle);
int cuMemGetAllocationPropertiesFromHandle(void *properties, uint64_t handle);
int cuMemGetAllocationGranularity(size_t *granularity, const void *properties, int option);
int cuMemAddressReserve(uint64_t *address, size_t size, size_t alignment, uint64_t wanted, uint64_t flags);
int cuMemAddressFree(uint64_t address, size_t size);
int cuMemMap(uint64_t address, size_t size, size_t offset, uint64_t handle, uint64_t flags);
int cuMemUnmap(uint64_t address, size_t size);
int cuMemSetAccess(uint64_t address, size_t size, const void *accesses, size_t count);
int cuMemGetAccess(uint64_t *flags, const void *location, uint64_t address);
int cuMemExportToShareableHandle(void *result, uint64_t handle, int type, uint64_t flags);
int cuMemImportFromShareableHandle(uint64_t *handle, void *file, int type);

int cuStreamCreate(void **stream, unsigned flags);
int cuStreamDestroy_v2(void *stream);
int cuStreamSynchronize(void *stream);
int cuStreamQuery(void *stream);
int cuStreamGetCtx(void *stream, void **context);
int cuEventCreate(void **event, unsigned flags);
int cuEventDestroy_v2(void *event);
int cuEventRecord(void *event, void *stream);
int cuEventElapsedTime(float *milliseconds, void *start, void *end);
int cuLaunchHostFunc(void *stream, void (*function)(void *), void *context);

int cuGraphCreate(void **graph, unsigned flags);
int cuGraphDestroy(void *graph);
int cuGraphAddKernelNode_v2(void **node, void *graph, void *const *dependencies, size_t count,
                            const void *parameters);
int cuGraphAddMemsetNode(void **node, void *graph, void *const *dependencies, size_t count,
                         const void *parameters, void *context);
int cuGraphAddMemcpyNode(void **node, void *graph, void *const *dependencies, size_t count,
                         const void *parameters, void *context);
int cuGraphGetNodes(void *graph, void **nodes, size_t *count);
int cuGraphGetEdges(void *graph, void **from, void **to, size_t *count);
int cuGraphNodeGetType(void *node, int *type);
int cuGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long flags);
int cuGraphLaunch(void *executable, void *stream);
int cuGraphExecDestroy(void *executable);
int cuGraphExecKernelNodeSetParams_v2(void *executable, void *node, const void *parameters);
int cuStreamBeginCapture_v2(void *stream, int mode);
int cuStreamEndCapture(void *stream, void **graph);

int cuArray3DCreate_v2(void **array, const void *descriptor);
int cuModuleGetTexRef(void **reference, void *module, const char *name);
int cuModuleGetSurfRef(void **reference, void *module, const char *name);
int cuTexRefCreate(void **reference);
int cuTexRefDestroy(void *reference);
int cuParamSetTexRef(void *function, int unit, void *reference);
int cuSurfRefSetArray(void *reference, void *array, unsigned flags);
int cuSurfRefGetArray(void **array, void *reference);
int cuTexRefSetArray(void *reference, void *array, unsigned flags);
int cuTexRefGetArray(void **array, void *reference);
int cuTexRefSetMipmappedArray(void *reference, void *array, unsigned flags);
int cuTexRefSetAddress_v2(size_t *offset, void *reference, uint64_t address, size_t bytes);
int cuTexRefSetAddress2D_v3(void *reference, const void *descriptor, uint64_t address, size_t pitch);
int cuTexRefGetAddress_v2(uint64_t *address, void *reference);
int cuTexRefSetFormat(void *reference, int format, int channels);
int cuTexRefGetFormat(int *format, int *channels, void *reference);
int cuTexRefSetAddressMode(void *reference, int axis, int mode);
int cuTexRefGetAddressMode(int *mode, void *reference, int axis);
int cuTexRefSetFilterMode(void *reference, int filter);
int cuTexRefGetFilterMode(int *filter, void *reference);
int cuTexRefSetFlags(void *reference, unsigned flags);
int cuTexRefGetFlags(unsigned *flags, void *reference);
int cuTexRefSetBorderColor(void *reference, float *color);
int cuTexRefSetMipmapLevelClamp(void *reference, float least, float most);
int cuTexRefGetMipmapLevelClamp(float *least, float *most, void *reference);
int cuTexRefSetMaxAnisotropy(void *reference, unsigned most);
int cuTexRefGetMaxAnisotropy(int *most, void *reference);

#endif
