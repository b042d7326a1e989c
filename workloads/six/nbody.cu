// compute-bound: all-pairs forces, tiles of 128 bodies in shared memory, rsqrt
#define P 128
extern "C" __global__ void nbody(const float4*pos,float4*acc,int n){
  __shared__ float4 s[P]; int i=blockIdx.x*P+threadIdx.x; float4 p=pos[i]; float ax=0,ay=0,az=0;
  for(int t=0;t<n;t+=P){ s[threadIdx.x]=pos[t+threadIdx.x]; __syncthreads();
    #pragma unroll 8
    for(int k=0;k<P;k++){ float4 q=s[k]; float dx=q.x-p.x,dy=q.y-p.y,dz=q.z-p.z; float d2=dx*dx+dy*dy+dz*dz+1e-3f; float inv=rsqrtf(d2); float w=q.w*inv*inv*inv; ax+=dx*w; ay+=dy*w; az+=dz*w; }
    __syncthreads(); }
  acc[i]=make_float4(ax,ay,az,0.f);
}
