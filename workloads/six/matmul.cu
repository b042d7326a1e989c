#define T 16
extern "C" __global__ void matmul(const float*A,const float*B,float*C,int n){
  __shared__ float As[T][T],Bs[T][T];
  int tx=threadIdx.x,ty=threadIdx.y,row=blockIdx.y*T+ty,col=blockIdx.x*T+tx; float acc=0.f;
  for(int m=0;m<n/T;m++){
    As[ty][tx]=A[row*n+m*T+tx]; Bs[ty][tx]=B[(m*T+ty)*n+col];
    __syncthreads();
    #pragma unroll
    for(int k=0;k<T;k++) acc+=As[ty][k]*Bs[k][tx];
    __syncthreads();
  }
  C[row*n+col]=acc;
}
